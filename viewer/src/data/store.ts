// What was fetched, up to so many bytes; what was used longest ago goes first.

interface Entry<T> {
  value: T;
  bytes: number;
}

export class Store<T> {
  private entries = new Map<string, Entry<T>>();
  private bytes = 0;

  constructor(private readonly room: number) {}

  get(key: string): T | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    // A map keeps the order in which keys were put in.
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  has(key: string): boolean {
    return this.entries.has(key);
  }

  put(key: string, value: T, bytes: number): void {
    this.drop(key);
    this.entries.set(key, { value, bytes });
    this.bytes += bytes;
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= this.room || oldest === key) break;
      this.drop(oldest);
    }
  }

  clear(): void {
    this.entries.clear();
    this.bytes = 0;
  }

  private drop(key: string): void {
    const entry = this.entries.get(key);
    if (!entry) return;
    this.bytes -= entry.bytes;
    this.entries.delete(key);
  }
}
