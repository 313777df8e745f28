import Loading
import Origins
import Scheduling

/// Messages published to all nodes, as text. A node that misses one loses nothing but time, since waiting nodes ask
/// again by themselves.
enum LeaseMessage: Hashable, Sendable {
    /// The rendition was made and stored in the shared tier.
    case made(SharedName)
    /// The rendition was made, but not stored in the shared tier.
    case unshared(SharedName)
    /// Loading the subject failed.
    case failed(subject: String, LoadFailure)
    /// No node holds the lease any more.
    case free(subject: String)
    /// Another node waits for a rendition whose lease this node holds.
    case requested(SharedName, by: String, level: Priority.Level)
    /// No node waits for the rendition any more.
    case requestWithdrawn(SharedName)
    /// A user asked a node to rescan its sources: the others do so, too.
    case rescan(node: String)
    /// A bucket notified a node of objects created, changed or removed: the others look at them, too. Keys are
    /// encoded as in the notification.
    case objects(bucket: String, keys: [String], node: String)
    /// An origin refused a node: the others back off, too.
    case refused(OriginRefusal, node: String)

    /// Nil for bytes that no node sends.
    init?(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let words = text.split(separator: " ", maxSplits: 2)
        guard words.count >= 2 else { return nil }
        switch (words[0], words.count) {
        case ("made", 2):
            guard let name = SharedName(text: words[1]) else { return nil }
            self = .made(name)
        case ("unshared", 2):
            guard let name = SharedName(text: words[1]) else { return nil }
            self = .unshared(name)
        case ("unwanted", 2):
            guard let name = SharedName(text: words[1]) else { return nil }
            self = .requestWithdrawn(name)
        case ("free", 2): self = .free(subject: String(words[1]))
        case ("look", 2): self = .rescan(node: String(words[1]))
        case ("objects", 3):
            let rest = words[2].split(separator: " ").map(String.init)
            guard rest.count >= 2 else { return nil }
            self = .objects(bucket: rest[0], keys: Array(rest[1...]), node: String(words[1]))
        case ("refused", 3):
            guard let refusal = OriginRefusal(text: words[2]) else { return nil }
            self = .refused(refusal, node: String(words[1]))
        case ("failed", 3):
            guard let failure = LoadFailure(text: String(words[2])) else { return nil }
            self = .failed(subject: String(words[1]), failure)
        case ("wanted", 3):
            let rest = words[2].split(separator: " ")
            guard rest.count == 2, let level = Priority.Level(text: rest[0]), let name = SharedName(text: rest[1])
            else { return nil }
            self = .requested(name, by: String(words[1]), level: level)
        default: return nil
        }
    }
}

extension Priority.Level {
    /// The form used in messages.
    var text: String { "\(rawValue)" }

    init?(text: some StringProtocol) {
        guard let number = UInt8(text), let lane = Priority.Level(rawValue: number) else { return nil }
        self = lane
    }
}
