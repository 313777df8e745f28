import Accounts
import DequeModule
import Hashing
import Images
import Locking
import Synchronization

/// Makes and checks signed links: a rendition's URL carries a code that proves that the server gave this account the link to
/// this picture in this version.
///
/// A code is SipHash-2-4 over image, version and class of rendition, under a key of the principal and the principal's epoch. So a
/// check needs neither the catalog nor a cookie, all nodes agree, and a link of one picture opens no other. Raising the
/// epoch ends all links of the principal.
final class SignedLinks: Sendable {
    /// What a link opens.
    enum Class: UInt64 {
        /// Renditions.
        case renditions = 0
        /// Originals, and the pyramids made of them.
        case originals = 1

        init(_ rendition: Rendition) { self = rendition.isFile ? .originals : .renditions }
    }

    private struct Key {
        let words: (UInt64, UInt64)
        let rights: Rights
    }

    /// Immutable, and replaced as a whole.
    private final class Table: Sendable {
        let keys: [UInt32: Key]

        init(_ keys: [UInt32: Key]) { self.keys = keys }
    }

    /// The present table, which `kept` retains. Invariant: nobody uses a table for longer than a check takes, and one that
    /// has been replaced is kept until it has been replaced ``graceCount`` times more, each time with a write to the disk in
    /// between.
    private let table: Atomic<UInt>
    private let kept: Guarded<Deque<Table>>
    private static let graceCount = 256
    private let accounts: Accounts

    init(_ accounts: Accounts) {
        self.accounts = accounts
        let first = Table(Self.keys(of: accounts))
        table = Atomic(Self.bits(of: first))
        kept = Guarded([first])
        accounts.onChange { [weak self, unowned accounts] in
            guard let self else { return }
            let next = Table(Self.keys(of: accounts))
            kept.withLock { kept in
                kept.append(next)
                table.store(Self.bits(of: next), ordering: .releasing)
                if kept.count > Self.graceCount { kept.removeFirst() }
            }
        }
    }

    private static func bits(of table: Table) -> UInt { UInt(bitPattern: Unmanaged.passUnretained(table).toOpaque()) }

    private static func keys(of accounts: Accounts) -> [UInt32: Key] {
        Dictionary(
            uniqueKeysWithValues: accounts.linkPrincipals.map { principal in
                let purpose = "links \(principal.account) \(principal.epoch)"
                return (
                    principal.account.number, Key(words: accounts.secret.key(for: purpose), rights: principal.rights)
                )
            })
    }

    private func key(of account: AccountID) -> Key? {
        let bits = table.load(ordering: .acquiring)
        let table = Unmanaged<Table>.fromOpaque(UnsafeRawPointer(bitPattern: bits)!)
        return table._withUnsafeGuaranteedRef { $0.keys[account.number] }
    }

    /// Whether a link opens this rendition of this image. Takes as long for a wrong code as for a right one. Callable from
    /// any thread; never waits. None opens while this node cannot know what other nodes have changed.
    func opens(_ link: SignedLink, _ image: ImageID, _ version: ContentVersion?, _ rendition: Rendition) -> Bool {
        guard accounts.isUpToDate, let key = key(of: link.account) else { return false }
        let class_ = Class(rendition)
        guard key.rights.contains(class_ == .originals ? [.view, .originals] : .view) else { return false }
        return Self.code(image, version, class_, key.words) == link.code
    }

    /// The links of a principal; nil if the account is gone, or for a program, which sends its token with each request.
    func writer(for principal: Principal) -> Writer? {
        guard principal.isPerson else { return nil }
        return key(of: principal.account).map {
            Writer(account: principal.account, key: $0.words, rights: principal.rights)
        }
    }

    fileprivate static func code(
        _ image: ImageID, _ version: ContentVersion?, _ class_: Class, _ key: (UInt64, UInt64)
    ) -> SignedLink.Code {
        var hash = SipHash(key: key)
        hash.update(image.rawValue)
        hash.update(version?.rawValue ?? 0)
        hash.update(class_.rawValue << 1 | (version == nil ? 1 : 0))
        return SignedLink.Code(rawValue: hash.finish())
    }

    /// Writes the links of one principal.
    struct Writer: Sendable {
        fileprivate let account: AccountID
        fileprivate let key: (UInt64, UInt64)
        fileprivate let rights: Rights

        /// Nil for a rendition that the principal may not have.
        func link(_ image: ImageID, _ version: ContentVersion?, _ class_: Class) -> SignedLink? {
            guard class_ == .renditions || rights.contains(.originals) else { return nil }
            return SignedLink(account: account, code: SignedLinks.code(image, version, class_, key))
        }
    }
}

/// The signature in a rendition's URL, which grants access: `r=ACCOUNT~CODE`.
struct SignedLink: Hashable, Sendable {
    /// A message authentication code of 64 bits.
    struct Code: OpaqueIdentifier {
        let rawValue: UInt64
    }

    let account: AccountID
    let code: Code

    init(account: AccountID, code: Code) {
        self.account = account
        self.code = code
    }

    private static let accountLength = 8
    /// The length of the text, in bytes.
    static let length = accountLength + 1 + 13

    /// Nil for a text that ``append(to:)`` does not write.
    init?(_ text: UnsafeRawBufferPointer) {
        guard text.count == Self.length, text[Self.accountLength] == UInt8(ascii: "~"),
            let code = Code(UnsafeRawBufferPointer(rebasing: text[(Self.accountLength + 1)...]))
        else { return nil }
        var number: UInt32 = 0
        for byte in text[..<Self.accountLength] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt32(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt32(byte - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        self.init(account: AccountID(number: number), code: code)
    }

    init?(_ text: String) {
        var text = text
        guard let link = text.withUTF8({ SignedLink(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = link
    }

    func append(to bytes: inout [UInt8]) {
        bytes += account.description.utf8
        bytes.append(UInt8(ascii: "~"))
        code.append(to: &bytes)
    }
}
