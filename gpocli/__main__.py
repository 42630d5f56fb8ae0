"""`python -m gpocli` is the command `gpo`."""

from gpocli.cli.main import main

if __name__ == "__main__":
    main()
