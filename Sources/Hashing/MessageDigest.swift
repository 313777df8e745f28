internal import CCrypto

/// A hash function of libcrypto's default provider.
///
/// It is looked up by name only once. libcrypto's own constants, such as `EVP_sha256()`, repeat the lookup on every
/// use, which takes locks.
struct MessageDigest: @unchecked Sendable {
    /// Constant once fetched, and reference-counted by libcrypto with atomic operations; never freed.
    private let algorithm: OpaquePointer
    private let byteCount: Int

    init(_ name: String, byteCount: Int) {
        guard let algorithm = EVP_MD_fetch(nil, name, nil) else { fatalError("libcrypto has no \(name)") }
        self.algorithm = algorithm
        self.byteCount = byteCount
    }

    /// The digest of `data`.
    func callAsFunction(_ data: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { digest, count in
            // Fails only if memory cannot be allocated.
            precondition(EVP_Digest(data, data.count, digest.baseAddress, nil, algorithm, nil) == 1)
            count = byteCount
        }
    }
}
