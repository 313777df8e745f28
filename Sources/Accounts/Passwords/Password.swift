internal import CArgon2

/// Hashes passwords with Argon2id (RFC 9106). All calls block for about 50 ms.
enum Password {
    /// NIST SP 800-63B §3.1.1.2 asks for 8 as a minimum; composition rules are advised against.
    static let shortest = 8
    /// In bytes of UTF-8. Passphrases fit; a megabyte would only cost time.
    static let longest = 512

    /// OWASP's recommendation (Password Storage Cheat Sheet): 19 MiB, two passes, one lane.
    private static let memory: UInt32 = 19 * 1024
    private static let passes: UInt32 = 2
    private static let saltLength = 16
    private static let hashLength = 32

    static func check(_ password: String) throws(AccountsError) {
        guard password.count >= shortest else { throw .passwordTooShort }
        guard password.utf8.count <= longest else { throw .passwordTooLong }
    }

    /// The hash with its parameters and a random salt, as a PHC string; nil if there is no memory.
    static func hash(_ password: String) -> String? {
        let salt = [UInt8].random(saltLength)
        let password = Array(password.utf8)
        let length = argon2_encodedlen(
            passes, memory, 1, UInt32(saltLength), UInt32(hashLength), Argon2_id)
        var encoded = [CChar](repeating: 0, count: length)
        let result = argon2id_hash_encoded(
            passes, memory, 1, password, password.count, salt, salt.count, hashLength, &encoded, length)
        guard result == ARGON2_OK.rawValue else { return nil }
        return String(decoding: encoded.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether the password has this hash. Takes as long for a wrong password as for the right one.
    static func matches(_ password: String, _ hash: String) -> Bool {
        let password = Array(password.utf8)
        return argon2id_verify(hash, password, password.count) == ARGON2_OK.rawValue
    }

    /// What an account without a password has in place of a hash. Nothing matches it.
    static let none = ""

    /// The hash of no password, to compare with where there is no account: the answer must take as long.
    static let unmatched = hash("\(UInt64.random(in: .min ... .max))") ?? ""
}
