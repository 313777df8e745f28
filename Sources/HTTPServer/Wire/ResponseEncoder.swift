import HTTPTypes

enum ResponseEncoder {
    static func append(
        status: HTTPResponse.Status, headers: HTTPFields, to bytes: inout [UInt8]
    ) throws(ResponseError) -> Bool { false }
}
