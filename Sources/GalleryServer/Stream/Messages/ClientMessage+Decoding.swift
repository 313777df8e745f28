import Images

extension ClientMessage {
    /// Reads one text message. Members that are not known are passed over.
    ///
    /// - Throws: ``Misunderstood`` for the first member that is missing or not as it should be.
    init(_ text: String) throws(Misunderstood) {
        guard case .object(let members)? = JSONValue(text) else {
            throw Misunderstood(member: "message", rule: "must be a JSON object")
        }
        let reader = MemberReader(members: members)
        switch try reader.text("type") {
        case "viewport": self = .viewport(try Viewport(reader))
        case "received":
            guard let bytes = try reader.integer("bytes", in: 0...largestSafeInteger) else {
                throw reader.missing("bytes")
            }
            self = .received(bytes)
        case "has": self = .has(try reader.images("images", isRequired: true))
        case "forgot": self = .forgot(try reader.images("images", isRequired: true))
        case "retry": self = .retry(try reader.slots("slots"), insists: try reader.boolean("insists") ?? true)
        case "ping": self = .ping
        default: throw Misunderstood(member: "type", rule: "must be viewport, received, has, forgot, retry or ping")
        }
    }
}

extension Viewport {
    fileprivate init(_ reader: MemberReader) throws(ClientMessage.Misunderstood) {
        guard let first = try reader.integer("first", in: 0...largestSafeInteger) else { throw reader.missing("first") }
        guard let count = try reader.integer("count", in: 1...Self.maximumCount) else { throw reader.missing("count") }
        self.init(first: first, count: count)
        revision = try reader.integer("revision", in: 0...largestSafeInteger).map(UInt64.init)
        direction = try reader.integer("direction", in: -1...1) ?? 0
        velocity = try reader.number("velocity", in: 0...Self.maximumVelocity) ?? 0
        landing = try reader.integer("landing", in: 0...largestSafeInteger)
        pixels = try reader.integer("pixels", in: 1...100_000)
        side = try reader.side("side")
        height = try reader.integer("height", in: 1...100_000)
        if side == .box, pixels == nil || height == nil { throw reader.missing(pixels == nil ? "pixels" : "height") }
        ahead = try reader.integer("ahead", in: 0...Self.maximumAhead)
        behind = try reader.integer("behind", in: 0...Self.maximumAhead)
        takesParts = try reader.boolean("parts") ?? false
        savesData = try reader.boolean("saveData") ?? false
        lag = try reader.number("lag", in: 0...60_000).map { min($0 / 1_000, Self.maximumLag) }
        received = try reader.integer("received", in: 0...largestSafeInteger)
        has = try reader.images("has", isRequired: false)
        view = try reader.optionalText("view", longest: Self.longestView) ?? ""
    }
}

/// Takes members out of an object strictly: what is there is right, or the message is not understood.
private struct MemberReader {
    typealias Misunderstood = ClientMessage.Misunderstood

    let members: [String: JSONValue]
    /// What stands before the names of members: `has[3].`.
    var prefix = ""

    func missing(_ name: String) -> Misunderstood { Misunderstood(member: prefix + name, rule: "is missing") }

    func text(_ name: String) throws(Misunderstood) -> String {
        guard let value = members[name] else { throw missing(name) }
        guard case .text(let text) = value else { throw Misunderstood(member: prefix + name, rule: "must be text") }
        return text
    }

    /// Nil when the member is absent.
    func optionalText(_ name: String, longest: Int) throws(Misunderstood) -> String? {
        guard members[name] != nil else { return nil }
        let text = try text(name)
        guard text.utf8.count <= longest else {
            throw Misunderstood(member: prefix + name, rule: "must have at most \(longest) bytes")
        }
        return text
    }

    /// Nil when the member is absent.
    func boolean(_ name: String) throws(Misunderstood) -> Bool? {
        guard let value = members[name] else { return nil }
        guard case .boolean(let boolean) = value else {
            throw Misunderstood(member: prefix + name, rule: "must be true or false")
        }
        return boolean
    }

    /// Nil when the member is absent.
    func side(_ name: String) throws(Misunderstood) -> Viewport.Side? {
        guard members[name] != nil else { return nil }
        guard let side = Viewport.Side(rawValue: try text(name)) else {
            throw Misunderstood(member: prefix + name, rule: "must be longer, shorter, height or box")
        }
        return side
    }

    /// Nil when the member is absent.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(Misunderstood) -> Int? {
        guard let value = members[name] else { return nil }
        guard case .integer(let integer) = value, range.contains(integer) else {
            throw Misunderstood(
                member: prefix + name, rule: "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    /// Nil when the member is absent.
    func number(_ name: String, in range: ClosedRange<Double>) throws(Misunderstood) -> Double? {
        let number: Double
        switch members[name] {
        case nil: return nil
        case .integer(let integer): number = Double(integer)
        case .number(let value): number = value
        default: number = .nan
        }
        guard range.contains(number) else {
            throw Misunderstood(
                member: prefix + name, rule: "must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func list(_ name: String) throws(Misunderstood) -> [JSONValue]? {
        guard let value = members[name] else { return nil }
        guard case .list(let list) = value, list.count <= ClientMessage.maximumEntries else {
            throw Misunderstood(
                member: prefix + name, rule: "must be a list of at most \(ClientMessage.maximumEntries) members")
        }
        return list
    }

    func slots(_ name: String) throws(Misunderstood) -> [Int] {
        guard let list = try list(name) else { throw missing(name) }
        var slots: [Int] = []
        for (position, value) in list.enumerated() {
            guard case .integer(let slot) = value, 0...largestSafeInteger ~= slot else {
                throw Misunderstood(member: "\(prefix)\(name)[\(position)]", rule: "must be a slot")
            }
            slots.append(slot)
        }
        return slots
    }

    func images(_ name: String, isRequired: Bool) throws(Misunderstood) -> [HeldImage] {
        guard let list = try list(name) else {
            if isRequired { throw missing(name) }
            return []
        }
        var images: [HeldImage] = []
        images.reserveCapacity(list.count)
        for (position, value) in list.enumerated() {
            let place = "\(prefix)\(name)[\(position)]"
            guard case .object(let members) = value else {
                throw Misunderstood(member: place, rule: "must be an object")
            }
            images.append(try MemberReader(members: members, prefix: place + ".").heldImage())
        }
        return images
    }

    private func heldImage() throws(Misunderstood) -> HeldImage {
        guard let image = ImageID(try text("image")) else {
            throw Misunderstood(member: prefix + "image", rule: "must be an image's id")
        }
        guard let version = ContentVersion(try text("version")) else {
            throw Misunderstood(member: prefix + "version", rule: "must be a version")
        }
        var renditions: StreamRenditions = []
        guard let list = try list("renditions") else { throw missing("renditions") }
        for (position, value) in list.enumerated() {
            guard case .text(let word) = value else {
                throw Misunderstood(member: "\(prefix)renditions[\(position)]", rule: "must be text")
            }
            // A rendition that is not known is one of a newer client, which holds it for itself.
            if let rendition = StreamRendition(name: word) { renditions.insert(StreamRenditions(rendition)) }
        }
        return HeldImage(image: image, version: version, renditions: renditions)
    }
}
