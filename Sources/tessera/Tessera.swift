import ArgumentParser

/// The command line: parses arguments and environment, sets up the gallery, and runs it until told to stop.
@main
struct Tessera: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tessera",
        abstract: "A gallery server: point it at pictures, open a browser, scroll through a million of them.",
        discussion: """
            Every option can also be given in the environment: --port as TESSERA_PORT, --data as TESSERA_DATA, and so \
            on; the command line takes precedence.
            """,
        version: Release.version,
        subcommands: [Serve.self, Demo.self, MoveLibrary.self, Health.self]
    )
}
