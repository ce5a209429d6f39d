"""The pages of the path, each a script that streamlit runs: absolute imports, components only."""
