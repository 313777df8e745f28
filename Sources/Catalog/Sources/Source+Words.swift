extension Source {
    /// The sources that the command line's words name, in their order.
    ///
    /// - Parameter count: the `--count` option, for templates.
    /// - Throws: `CatalogError.badSource` for the first word that names no source; its reason says what to do.
    public static func parse(_ words: [String], count: Int? = nil) throws(CatalogError) -> [Source] {
        []
    }
}
