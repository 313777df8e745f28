public import Encodings

/// A set of options, some of which have names in JSON.
public protocol NamedOptions: OptionSet {
    static var named: [(name: String, option: Self)] { get }
}

extension NamedOptions {
    /// The names of the options in this set.
    public var names: [String] { Self.named.filter { isSuperset(of: $0.option) }.map(\.name) }
}

extension JSONField {
    /// The options that a list names.
    public func options<Options: NamedOptions>(
        _ type: Options.Type = Options.self
    ) throws(JSONFieldError) -> Options {
        let names = try list(atMost: Options.named.count) { (name) throws(JSONFieldError) in try name.text() }
        var options: Options = []
        for name in names {
            guard let known = Options.named.first(where: { $0.name == name }) else {
                throw broken("must consist of \(Options.named.map(\.name).joined(separator: ", "))")
            }
            options.formUnion(known.option)
        }
        return options
    }
}
