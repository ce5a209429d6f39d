"""All a person sees of Evencover: command line, Streamlit pages, figures and downloads."""
