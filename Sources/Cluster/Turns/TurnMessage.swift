import Loading
import Origins
import Scheduling

/// What machines tell each other by publication, as text. All of them hear all of it; none is of use to who missed it,
/// for each waiter asks again by itself.
enum TurnMessage: Hashable, Sendable {
    /// It can be found.
    case made(SharedName)
    /// It was made, but cannot be found.
    case unshared(SharedName)
    /// Nothing of this subject can be made.
    case failed(subject: String, LoadFailure)
    /// Nobody has the turn any more.
    case free(subject: String)
    /// Somebody waits for it, while this node has the turn.
    case wanted(SharedName, by: String, urgency: Priority.Lane)
    /// Nobody waits for it any more.
    case unwanted(SharedName)
    /// A person had a node read its sources again: all others do, too.
    case look(node: String)
    /// A store has told a node of objects that come, change or go: all others look at them, too. Keys as events have them.
    case objects(bucket: String, keys: [String], node: String)
    /// An origin has refused this node: all others spare it, too.
    case refused(OriginRefusal, node: String)

    /// Nil for what no node says.
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
            self = .unwanted(name)
        case ("free", 2): self = .free(subject: String(words[1]))
        case ("look", 2): self = .look(node: String(words[1]))
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
            guard rest.count == 2, let urgency = Priority.Lane(text: rest[0]), let name = SharedName(text: rest[1])
            else { return nil }
            self = .wanted(name, by: String(words[1]), urgency: urgency)
        default: return nil
        }
    }
}

extension Priority.Lane {
    /// In messages.
    var text: String { "\(rawValue)" }

    init?(text: some StringProtocol) {
        guard let number = UInt8(text), let lane = Priority.Lane(rawValue: number) else { return nil }
        self = lane
    }
}
