/// Resolves the names of an XMP packet: a prefix has no meaning until its namespace is declared. Declarations apply
/// from their position to the end of the packet, which is compatible with all programs that write XMP.
struct XMPNames {
    enum Namespace: String {
        case rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
        case dublinCore = "http://purl.org/dc/elements/1.1/"
        case xmp = "http://ns.adobe.com/xap/1.0/"
        case photoshop = "http://ns.adobe.com/photoshop/1.0/"
        case iptcCore = "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"
        case exif = "http://ns.adobe.com/exif/1.0/"
    }

    /// Prefixes of other namespaces are ignored.
    private static let maximumPrefixes = 64

    private var prefixes: [(prefix: ArraySlice<UInt8>, namespace: Namespace)] = []

    /// Records an attribute if it declares a namespace.
    mutating func declare(_ name: ArraySlice<UInt8>, as value: ArraySlice<UInt8>) {
        guard name.starts(with: "xmlns:".utf8) else { return }
        let prefix = name.dropFirst(6)
        prefixes.removeAll { $0.prefix.elementsEqual(prefix) }
        guard prefixes.count < Self.maximumPrefixes, value.count <= 64,
            let namespace = Namespace(rawValue: String(decoding: value, as: UTF8.self))
        else { return }
        prefixes.append((prefix, namespace))
    }

    /// The namespace and local name of a name; nil for unknown namespaces.
    func resolve(_ name: ArraySlice<UInt8>) -> (namespace: Namespace, local: String)? {
        guard name.count <= 64, let colon = name.firstIndex(of: UInt8(ascii: ":")),
            let known = prefixes.first(where: { $0.prefix.elementsEqual(name[..<colon]) })
        else { return nil }
        return (known.namespace, String(decoding: name[(colon + 1)...], as: UTF8.self))
    }

    func resolve(_ name: ArraySlice<UInt8>, in namespace: Namespace) -> String? {
        resolve(name).flatMap { $0.namespace == namespace ? $0.local : nil }
    }
}
