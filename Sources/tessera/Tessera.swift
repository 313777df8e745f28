import ArgumentParser

/// The command line: it reads words and environment, composes the gallery, and runs it until it is told to stop.
@main
struct Tessera: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tessera",
        abstract: "A gallery server: point it at pictures, open a browser, scroll through a million of them.",
        discussion: """
            Every option can also be given in the environment: --port as TESSERA_PORT, --data as TESSERA_DATA, and so \
            on; what stands on the command line wins.
            """,
        version: Release.version,
        subcommands: [Serve.self, Demo.self, Health.self]
    )
}
