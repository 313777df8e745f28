import ArgumentParser
import Foundation

/// Options from the environment: `TESSERA_PORT` for `--port`, and so on. An option on the command line wins.
enum Environment {
    /// The value of one variable, read as the option's type.
    ///
    /// - Throws: `ValidationError` naming the variable when its text cannot be read as `Value`.
    static func value<Value: ExpressibleByArgument>(_ option: String, as type: Value.Type = Value.self) throws -> Value?
    {
        guard let text = text(option) else { return nil }
        guard let value = Value(argument: text) else {
            throw ValidationError(
                "\(variable(option)) is “\(text)”, which cannot be read as \(Value.self). Correct or unset it.")
        }
        return value
    }

    /// The values of an option that may be given several times: separated by commas in the environment.
    static func values(_ option: String) -> [String] {
        text(option).map { $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } } ?? []
    }

    /// Nil when the variable is unset or empty.
    private static func text(_ option: String) -> String? {
        ProcessInfo.processInfo.environment[variable(option)].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func variable(_ option: String) -> String {
        "TESSERA_" + option.uppercased().replacingOccurrences(of: "-", with: "_")
    }
}
