import argparse


def add_server_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--base-url", default="", help="address of any OpenAI-compatible server")
    parser.add_argument("--model", default="", help="its name, where the server has several")
