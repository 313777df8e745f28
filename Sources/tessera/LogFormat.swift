import ArgumentParser
import Encodings
import Logging

/// How log events are written: one line each.
enum LogFormat: String, CaseIterable, ExpressibleByArgument {
    /// `key=value` pairs, quoted where necessary.
    case logfmt
    /// One JSON object.
    case json

    /// - Parameter time: When the event occurred, in RFC 3339's format.
    func line(
        time: String, level: Logger.Level, label: String, message: String, metadata: some Sequence<(String, String)>
    ) -> [UInt8] {
        let fixed = [("time", time), ("level", level.rawValue), ("logger", label), ("message", message)]
        // Rename fields that would clash with a fixed one.
        let fields = metadata.map { field in
            (fixed.contains { $0.0 == field.0 } ? field.0 + "_" : field.0, field.1)
        }
        let all = (fixed + fields).map { ($0.0, Self.printable($0.1)) }
        switch self {
        case .logfmt:
            let pairs = all.map { "\(Self.key($0.0))=\(Self.value($0.1))" }
            return Array((pairs.joined(separator: " ") + "\n").utf8)
        case .json:
            var json = JSONWriter()
            json.object { json in
                for (name, value) in all { json.member(named: name) { $0.value(value) } }
            }
            return json.bytes + [0x0a]
        }
    }

    private static func key(_ name: String) -> String {
        String(name.map { $0.isLetter || $0.isNumber || "_.-".contains($0) ? $0 : "_" })
    }

    /// Control characters are replaced: a line break in a file name would start a line that looks like another event,
    /// and others would control the terminal.
    private static func printable(_ text: String) -> String {
        var printable = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: printable.append("\u{fffd}")
            default: printable.append(scalar)
            }
        }
        return String(printable)
    }

    private static func value(_ text: String) -> String {
        var value = String.UnicodeScalarView()
        var needsQuotes = text.isEmpty
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { value.append("\\") }
            value.append(scalar)
            needsQuotes = needsQuotes || " \"=\\".unicodeScalars.contains(scalar)
        }
        return needsQuotes ? "\"\(String(value))\"" : String(value)
    }
}
