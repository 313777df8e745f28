// What browsers have and the declarations of TypeScript 4.8, Debian 12's, lack.

/** Requests that the page's first script has sent, by path; see Public/ahead.js. */
declare var ahead: Map<string, Promise<Response>> | undefined;

interface Array<T> {
  findLast<S extends T>(predicate: (value: T, index: number, array: T[]) => value is S): S | undefined;
  findLast(predicate: (value: T, index: number, array: T[]) => unknown): T | undefined;
  findLastIndex(predicate: (value: T, index: number, array: T[]) => unknown): number;
  toReversed(): T[];
}

interface String {
  toWellFormed?(): string;
}

interface RequestInit {
  priority?: 'auto' | 'high' | 'low';
}

/** The type of `AbortSignal`, to which nothing can be added. */
interface AbortSignalConstructor {
  readonly prototype: AbortSignal;
  new (): AbortSignal;
  timeout(milliseconds: number): AbortSignal;
}

interface AuthenticatorAttestationResponse {
  getAuthenticatorData(): ArrayBuffer;
  getPublicKey(): ArrayBuffer | null;
  getPublicKeyAlgorithm(): number;
}

interface Node {
  /** Moves an element without taking it out of the page, in browsers that can. */
  moveBefore?(element: Element, before: Node | null): void;
}

interface HTMLElement {
  hidePopover(): void;
}

interface ToggleEvent extends Event {
  readonly newState: 'open' | 'closed';
}

interface WakeLockSentinel extends EventTarget {
  readonly released: boolean;
  release(): Promise<void>;
}

interface Navigator {
  /** Absent on insecure origins. */
  readonly wakeLock?: { request(type: 'screen'): Promise<WakeLockSentinel> };
  /** In gibibytes; known to Chromium alone, as is `connection`. */
  readonly deviceMemory?: number;
  readonly connection?: { readonly saveData?: boolean };
}

interface OffscreenCanvasRenderingContext2D extends CanvasDrawImage, CanvasImageData {}

declare class OffscreenCanvas extends EventTarget {
  constructor(width: number, height: number);
  getContext(type: '2d', settings?: CanvasRenderingContext2DSettings): OffscreenCanvasRenderingContext2D | null;
}

interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  /** Undefined where the browser has not sent the request already. */
  readonly preloadResponse?: Promise<Response | undefined>;
  respondWith(response: Promise<Response> | Response): void;
}

interface ExtendableMessageEvent extends ExtendableEvent {
  readonly data: unknown;
}

/** The global scope of Public/service-worker.js. */
interface ServiceWorkerGlobalScope {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
  addEventListener(type: 'message', listener: (event: ExtendableMessageEvent) => void): void;
}

interface HTMLElement {
  showPopover(): void;
  hidePopover(): void;
}
