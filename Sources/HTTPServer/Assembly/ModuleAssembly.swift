/// Modules of JavaScript put together into scripts that need no other: each module becomes a function that is called
/// once, in the order in which a browser would run them, and hands out what the module exports.
///
/// What a module names by `new URL('worker.js', import.meta.url)` is put together, too, and named by its content.
struct ModuleAssembly {
    private let files: [String: [UInt8]]
    /// Files that are named by their content, with their addresses.
    private(set) var assets: [String: [UInt8]] = [:]
    private var scripts: [String: ModuleScript] = [:]
    private var addresses: [String: String] = [:]

    /// - Parameter files: By their paths, each beginning with `/`.
    init(_ files: [String: [UInt8]]) { self.files = files }

    /// The address of the script that `entry` and all that it imports were put together into. It ends in the path of
    /// `entry` and names its content, and so is good for ever.
    mutating func address(of entry: String, namedBy page: String) throws(AssemblyError) -> String {
        if let known = addresses[entry] { return known }
        guard files[entry] != nil else { throw .missing(entry, namedBy: page) }
        let bytes = entry.hasSuffix(".js") ? try script(of: entry) : files[entry] ?? []
        let address = "\(AssembledPage.assets)\(EntityTag(digestOf: bytes).opaque)\(entry)"
        addresses[entry] = address
        assets[address] = bytes
        return address
    }

    /// `entry` and all that it imports, as one script.
    mutating func script(of entry: String) throws(AssemblyError) -> [UInt8] {
        var order: [String] = []
        var path: [String] = []
        try sort(entry, namedBy: entry, into: &order, by: &path)
        let numbers = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        var bytes = Array("'use strict';\n".utf8)
        for (number, module) in order.enumerated() {
            guard let script = scripts[module] else { continue }
            bytes += "// \(module)\nconst \(Self.name(number)) = (() => {\n".utf8
            for each in script.imports {
                guard let binding = each.binding, let other = numbers[Self.path(each.specifier, from: module)] else {
                    continue
                }
                bytes += "const \(binding) = \(Self.name(other));\n".utf8
            }
            for piece in script.pieces {
                switch piece {
                case .text(let text): bytes += text
                case .url(let specifier):
                    let named = Self.path(specifier, from: module)
                    bytes += "'\(try address(of: named, namedBy: module))'".utf8
                }
            }
            bytes += "\nreturn { \(script.exports.joined(separator: ", ")) };\n})();\n".utf8
        }
        return bytes
    }

    private static func name(_ number: Int) -> String { "$module\(number)" }

    /// Puts what a module imports before the module.
    private mutating func sort(
        _ module: String, namedBy other: String, into order: inout [String], by path: inout [String]
    ) throws(AssemblyError) {
        if order.contains(module) { return }
        if let start = path.firstIndex(of: module) { throw .circle(path[start...] + [module]) }
        path.append(module)
        for each in try read(module, namedBy: other).imports {
            try sort(Self.path(each.specifier, from: module), namedBy: module, into: &order, by: &path)
        }
        path.removeLast()
        order.append(module)
    }

    private mutating func read(_ module: String, namedBy other: String) throws(AssemblyError) -> ModuleScript {
        if let known = scripts[module] { return known }
        guard let bytes = files[module] else { throw .missing(module, namedBy: other) }
        do {
            let script = try ModuleScript(bytes)
            scripts[module] = script
            return script
        } catch {
            throw .unreadable(module, line: error.line, reason: error.reason)
        }
    }

    /// The path that a specifier means in a module: `../grid/grid.js` in `/page/header.js` is `/grid/grid.js`.
    private static func path(_ specifier: String, from module: String) -> String {
        var parts = specifier.hasPrefix("/") ? [] : module.split(separator: "/").dropLast()
        for part in specifier.split(separator: "/") {
            switch part {
            case ".": continue
            case "..": _ = parts.popLast()
            default: parts.append(part)
            }
        }
        return "/" + parts.joined(separator: "/")
    }
}
