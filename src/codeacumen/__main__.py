from codeacumen.cli import main

if __name__ == "__main__":
    main()
