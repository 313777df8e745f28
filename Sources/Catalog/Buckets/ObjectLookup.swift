/// Looks up objects of a bucket individually, each by the first entry of a listing whose prefix is the whole key: the
/// key itself sorts first. So permission to list is sufficient, and a lookup reports the same as a listing.
struct ObjectLookup {
    /// The number of requests in flight.
    static let atATime = 16

    let address: BucketAddress
    let store: any ObjectStoreRequesting
    /// The operator's patterns of what to leave out.
    var excluded = SkipPatterns()
    let isStopped: () -> Bool

    /// What exists at these paths now; covers fewer paths if `isStopped` returned true.
    ///
    /// Keys that the store rejects, because they may be invalid, are skipped.
    ///
    /// - Throws: ``BucketRefusal`` if the store cannot answer now.
    func scopes(of paths: [[UInt8]]) throws -> [FolderUpdate.Scope] {
        func ask(_ path: [UInt8]) -> PageRequest { PageRequest(address.listing(of: path), to: store) }
        var scopes: [FolderUpdate.Scope] = []
        var asked = paths.prefix(Self.atATime).map(ask)
        for (number, path) in paths.enumerated() {
            let place = number % Self.atATime
            do {
                guard let page = try asked[place].page(of: address, unless: isStopped) else { break }
                let key = Array(address.prefix.utf8) + path
                let object = page.objects.first { $0.key == key && address.path(of: key, excluded) != nil }
                let scannedImage = object.flatMap { ScannedImage($0, under: address.prefix) }
                scopes.append(.init(path: path, extent: .file, scannedImages: scannedImage.map { [$0] } ?? []))
            } catch let refusal as BucketRefusal where !refusal.isPassing && refusal.isOfKey {}
            let next = number + Self.atATime
            if next < paths.count { asked[place] = ask(paths[next]) }
        }
        return scopes
    }
}
