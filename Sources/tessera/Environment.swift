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
                "\(variable(option)) is “\(text)”, which is not a valid \(Value.self). Correct or unset it.")
        }
        return value
    }

    /// The values of a repeatable option, separated by commas in the environment unless they may contain some.
    static func values(_ option: String, separatedBy separator: Character = ",") -> [String] {
        text(option).map { $0.split(separator: separator).map { $0.trimmingCharacters(in: .whitespaces) } } ?? []
    }

    /// Nil if the variable is unset or empty.
    private static func text(_ option: String) -> String? {
        ProcessInfo.processInfo.environment[variable(option)].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func variable(_ option: String) -> String {
        "TESSERA_" + option.uppercased().replacingOccurrences(of: "-", with: "_")
    }
}
