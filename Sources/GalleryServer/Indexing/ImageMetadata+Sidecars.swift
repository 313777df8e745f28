import Images

extension ImageMetadata {
    /// A picture's metadata together with that of its sidecars.
    ///
    /// Words and ratings in XMP were written later than those in the file, by people who keep their originals
    /// unchanged. Times and places were measured by the camera. Google Takeout's JSON repeats both, so it only fills
    /// gaps.
    func completed(by sidecars: [SidecarFormat: ImageMetadata]) -> ImageMetadata {
        let (xmp, takeout) = (sidecars[.xmp], sidecars[.takeout])
        var metadata = self
        metadata.rating = xmp?.rating ?? rating
        metadata.title = xmp?.title ?? title
        metadata.description = xmp?.description ?? description ?? takeout?.description
        metadata.keywords = [xmp?.keywords, keywords, takeout?.keywords].compactMap(\.self).first { !$0.isEmpty } ?? []
        metadata.takenAt = takenAt ?? xmp?.takenAt ?? takeout?.takenAt
        metadata.place = place ?? xmp?.place ?? takeout?.place
        if var names = xmp?.placeNames {
            names.location = names.location ?? placeNames?.location
            names.city = names.city ?? placeNames?.city
            names.state = names.state ?? placeNames?.state
            names.country = names.country ?? placeNames?.country
            metadata.placeNames = names
        }
        return metadata
    }
}
