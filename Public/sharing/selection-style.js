/** Styles that only a selection needs: they are loaded with it, and not with the page. */
export function selectionStyle() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    #navigation [aria-pressed='true'] { color: var(--ink); font-weight: 600; }
    #navigation [aria-pressed='true'] svg {
      background: color-mix(in srgb, var(--accent) 16%, transparent);
      color: var(--accent);
    }
    :root[data-selecting] .slot-link { transition: scale var(--fade) var(--ease); }
    :root[data-selecting] .slot-link::after {
      position: absolute;
      top: 6px;
      left: 6px;
      width: 24px;
      height: 24px;
      border: 2px solid #fff;
      border-radius: 50%;
      background: rgb(0 0 0 / 0.45);
      color: var(--on-accent);
      font: 700 15px/20px system-ui, sans-serif;
      text-align: center;
      content: '';
    }
    :root[data-selecting] .slot[aria-selected='true'] {
      background: color-mix(in srgb, var(--accent) 28%, var(--page));
    }
    :root[data-selecting] .slot[aria-selected='true'] > .slot-link { scale: 0.86; }
    :root[data-selecting] .slot[aria-selected='true'] > .slot-link::after {
      background: var(--accent);
      content: '✓' / '';
    }
    #selection {
      position: fixed;
      z-index: 3;
      bottom: max(var(--bottom-bar) + 12px, 20px, env(safe-area-inset-bottom));
      left: 50%;
      display: flex;
      gap: 8px;
      align-items: center;
      width: max-content;
      max-width: calc(100vw - 24px);
      padding: 8px 8px 8px 18px;
      border: 1px solid var(--line);
      border-radius: 14px;
      background: var(--raised);
      box-shadow: 0 8px 30px rgb(0 0 0 / 0.28);
      color: var(--ink);
      font-variant-numeric: tabular-nums;
      translate: -50% 0;
      white-space: nowrap;
    }
    #selection button {
      min-height: 36px;
      padding: 0 14px;
      border: 0;
      border-radius: 9px;
      background: color-mix(in srgb, var(--ink) 8%, transparent);
      color: inherit;
      font: inherit;
      font-weight: 600;
      cursor: pointer;
    }
    #selection span + button { margin-left: 8px; background: var(--accent); color: var(--on-accent); }
    #selection button:disabled { opacity: 0.5; cursor: default; }
    :root[data-selecting] :is(#message, #banner) { translate: 0 -64px; }
    @media (max-width: 600px) {
      /* Seven buttons side by side. */
      #navigation button { min-width: 0; }
      #navigation svg { padding: 3px min(18px, 2.6vw); }
    }
    @media print {
      #selection, .slot-link::after { display: none !important; }
      .slot-link { scale: 1 !important; }
    }
    @media (forced-colors: active) {
      :root[data-selecting] .slot[aria-selected='true'] > .slot-link::after {
        background: Highlight;
        color: HighlightText;
        forced-color-adjust: none;
      }
      #selection button { border: 1px solid ButtonText; }
    }
  `);
  return sheet;
}
