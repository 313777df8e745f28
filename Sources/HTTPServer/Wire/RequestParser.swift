struct RequestParser {
    struct Limits { init() {} }
    enum Event { case head(RequestHead), body([UInt8]), end }
    init(limits: Limits) {}
    mutating func append(_ bytes: [UInt8]) {}
    mutating func next() throws(RequestError) -> Event? { nil }
}
