import ArgumentParser
import Foundation

/// Options from the environment: `TESSERA_PORT` for `--port`, and so on. The command line takes precedence.
enum Environment {
    /// The value of one variable, parsed as the option's type.
    ///
    /// - Throws: `ValidationError` naming the variable if its text cannot be parsed as `Value`.
    static func value<Value: ExpressibleByArgument>(_ option: String, as type: Value.Type = Value.self) throws -> Value?
    {
        guard let text = text(option) else { return nil }
        guard let value = Value(argument: text) else {
            throw ValidationError(
                """
                \(variable(option)) is “\(text)”, which is not a valid value for --\(option) (see “tessera serve --help”). \
                Correct or unset it.
                """)
        }
        return value
    }

    /// The values of a repeatable option, separated by commas in the environment unless they may contain some.
    static func values(_ option: String, separatedBy separator: Character = ",") -> [String] {
        text(option).map { $0.split(separator: separator).map { $0.trimmingCharacters(in: .whitespaces) } } ?? []
    }

    private static let prefix = "TESSERA_"

    /// Nil if the variable is unset or empty.
    private static func text(_ option: String) -> String? {
        ProcessInfo.processInfo.environment[variable(option)].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func variable(_ option: String) -> String {
        prefix + option.uppercased().replacingOccurrences(of: "-", with: "_")
    }

    // MARK: - Misspelt names

    /// A variable that is named like an option and belongs to none.
    struct Misspelt: CustomStringConvertible {
        let name: String
        /// The variable that it resembles, if any does.
        let suggestion: String?

        var description: String {
            "\(name) belongs to no option and has no effect." + (suggestion.map { " Did you mean \($0)?" } ?? "")
        }
    }

    /// A name differs from the one that was meant by a few missing, extra, or wrong letters.
    private static let mostChanges = 4

    /// The variables of this process that are named like options and belong to none.
    static var misspelt: [Misspelt] {
        ProcessInfo.processInfo.environment.keys.filter { $0.hasPrefix(prefix) && !known.contains($0) }.sorted().map {
            name in
            let nearest = known.map { (changes: name.difference(from: $0).count, name: $0) }.min { $0 < $1 }
            return Misspelt(
                name: name, suggestion: nearest.flatMap { $0.changes <= mostChanges ? $0.name : nil })
        }
    }

    /// Variables that are no options of the command line.
    private static let alone = ["renderer", "render-deadline", "secret"]

    /// The variables of all options, those that only a help text names, and those without an option.
    private static let known: Set<String> = {
        let commands: [any ParsableCommand.Type] = [Serve.self, Demo.self, MoveLibrary.self, Health.self]
        let help = commands.map { $0.helpMessage(includeHidden: true, columns: 10_000) }.joined(separator: "\n")
        let named = help.matches(of: /TESSERA_[A-Z0-9_]+/).map { String($0.output) }
        return Set(
            named + alone.map(variable) + help.matches(of: /--([a-z0-9-]+)/).map { variable(String($0.output.1)) })
    }()
}
