/// Stands in for swift-crypto where the digest itself is of no account: as long as the real one's, and no digest.
private func standIn(for data: some Collection<UInt8>, length: Int) -> [UInt8] {
    Array((Array(data) + [UInt8](repeating: 0, count: length)).prefix(length))
}

public enum Insecure {
    public enum SHA1 {
        public static func hash(data: some Collection<UInt8>) -> [UInt8] { standIn(for: data, length: 20) }
    }
}

public enum SHA256 {
    public static func hash(data: some Collection<UInt8>) -> [UInt8] { standIn(for: data, length: 32) }
}
