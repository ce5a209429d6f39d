"""Read by a test's server, or command, as it starts: it reaches this machine alone.

What else it asks for is noted in the file that EVENCOVER_TEST_REQUESTS names, and refused.
"""

import errno
import ipaddress
import os
import socket


def is_here(host):
    if host in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback or not int(ipaddress.ip_address(host))
    except ValueError:
        return False


def note(what):
    with open(os.environ["EVENCOVER_TEST_REQUESTS"], "a") as file:  # noqa: PTH123 - at every start
        file.write(f"{what}\n")


def guarded(name, place):
    """Refuse a socket's method where its address, in this place, is elsewhere."""
    plain = getattr(socket.socket, name)

    def method(self, *arguments):
        address = arguments[place]
        if isinstance(address, tuple) and not is_here(str(address[0])):
            note(f"{name} {address}")
            raise OSError(errno.ENETUNREACH, os.strerror(errno.ENETUNREACH))
        return plain(self, *arguments)

    setattr(socket.socket, name, method)


def resolving(name):
    plain = getattr(socket, name)

    def resolve(host, *arguments, **options):
        text = host.decode() if isinstance(host, bytes) else host
        if not is_here(text):
            note(f"{name} {text}")
            raise socket.gaierror(socket.EAI_NONAME, "no network")
        return plain(host, *arguments, **options)

    setattr(socket, name, resolve)


guarded("connect", 0)
guarded("connect_ex", 0)
guarded("sendto", -1)
for resolver in ("getaddrinfo", "gethostbyname", "gethostbyname_ex"):
    resolving(resolver)
