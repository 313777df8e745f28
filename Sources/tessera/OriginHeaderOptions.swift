import ArgumentParser
import Origins

/// Header fields for requests to origins.
struct OriginHeaderOptions: ParsableArguments {
    @Option(
        name: .customLong("origin-header"),
        help: ArgumentHelp(
            "Send this header field to the origins that sources name, as in 'User-Agent: …', or to one origin only, as in 'https://host Authorization: …'. Repeatable. (TESSERA_ORIGIN_HEADER, one per line)",
            valueName: "field"))
    var fields: [String] = []

    /// - Throws: `ValidationError` for a field that cannot be sent.
    func apply(to origins: inout Origins.Configuration) throws {
        do throws(OriginHeader.Invalid) {
            // Values may contain commas.
            let lines = Environment.values("origin-header", separatedBy: "\n").filter { !$0.isEmpty }
            origins.headers = try OriginHeader.parse(fields + lines)
        } catch {
            throw ValidationError("--origin-header: \(error.reason).")
        }
    }
}
