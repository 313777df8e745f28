import CIDN

/// Host names with letters beyond ASCII, in the form that DNS knows.
public enum InternationalName {
    /// The name with each such label in its `xn--` form (IDNA2008, RFC 5891 §5). The name is first mapped as browsers
    /// map it, for instance to lower case and to narrow letters (Unicode Technical Standard 46, non-transitional).
    ///
    /// The libidn2 inside libcurl does the same only if the process's locale is one with UTF-8.
    ///
    /// - Parameter name: In UTF-8, without a port.
    /// - Returns: Nil if there is no such name, or if it would contain anything but letters, digits, and `-._~`: a
    ///   full-width slash, for one, maps to a slash, which would end the host and begin the path.
    public static func ascii(_ name: some Collection<UInt8>) -> String? {
        guard !name.isEmpty, !name.contains(0) else { return nil }
        var converted: UnsafeMutablePointer<UInt8>?
        let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
        guard idn2_lookup_u8(Array(name) + [0], &converted, flags) == Int32(IDN2_OK.rawValue), let converted else {
            return nil
        }
        defer { idn2_free(converted) }
        let text = String(cString: converted)
        return !text.isEmpty && text.utf8.allSatisfy(isNameByte) ? text : nil
    }

    /// Whether a byte may be part of a host name in ASCII: a letter, a digit, or one of `-._~` (RFC 3986 §2.3).
    public static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
