import { Address } from '../page/address.js';
import { RememberedOrder } from '../page/remembered-order.js';

/**
 * The view in which the gallery opens: newest first once most of its images are known to be dated photographs. The page
 * follows while the user is still at the beginning of it; otherwise it stays, and its address names the order.
 */
export class DefaultView {
  /**
   * @param {{progress: import('../catalog/progress.js').Progress, finding: import('./finding.js').Finding,
   *   grid: import('../grid/grid.js').Grid, viewer: import('../viewer/viewer-on-demand.js').ViewerOnDemand}} parts
   */
  constructor({ progress, finding, grid, viewer }) {
    progress.addEventListener('defaultView', () => {
      const isNamed = new URLSearchParams(location.search).has('sort');
      const isOther = RememberedOrder.changeDefault(progress.defaultView ?? '');
      if (isNamed || !isOther) return;
      // A failure is reported by the `problem` event.
      if (grid.position === 0 && !viewer.isOpen) finding.show(Address.view, {}).catch(() => {});
      else Address.nameView(finding.requested);
    });
  }
}
