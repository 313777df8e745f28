/**
 * English, with the dates and clock of the user's region: `June 14, 2019`, or `14 June 2019`.
 * @type {string}
 */
export const dateLocale = localeFor(globalThis.navigator?.language ?? 'en');

/** @param {string} language  A language tag of BCP 47, such as `de-AT`. */
export function localeFor(language) {
  try {
    const { region } = new Intl.Locale(language).maximize();
    const tag = `en-${region}`;
    const isKnown = new Intl.DateTimeFormat(tag).resolvedOptions().locale === tag;
    // Browsers know English for some regions only; elsewhere the day comes first, as in Europe's English.
    return isKnown || region === 'US' ? tag : 'en-150';
  } catch {
    // Not a valid tag.
    return 'en';
  }
}
