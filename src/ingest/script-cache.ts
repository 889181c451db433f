import { importsEvm, scriptHash } from '../flow/code/script-imports.ts'

/** A script with what ingest needs to know of it. */
export interface KnownScript {
  readonly script: Buffer
  /** SHA-256, the key in `raw.scripts`. */
  readonly hash: Buffer
  readonly importsEvm: boolean
  /** True once the database has it for certain. */
  isStored: boolean
}

/** Bytes of scripts that are kept; full, the cache starts anew, which costs some inserts that change nothing. */
const mostBytes = 16 * 1024 * 1024
/** Scripts under one key. More come only from somebody who wants them to: the first makes room then. */
const mostPerKey = 8

/**
 * The scripts of late. A few hundred make up nearly all transactions, so most are found by comparing their bytes, which
 * is ten times as quick as hashing them and searching their text.
 */
export class ScriptCache {
  readonly #byKey = new Map<number, KnownScript[]>()
  #bytes = 0

  /** @param script may be a view; it is copied where it is kept */
  find(script: Buffer): KnownScript {
    const key = keyOf(script)
    let known = this.#byKey.get(key)
    const found = known?.find((one) => one.script.equals(script))
    if (found !== undefined) return found
    if (this.#bytes + script.length > mostBytes) {
      this.#byKey.clear()
      this.#bytes = 0
      known = undefined
    }
    if (known === undefined) this.#byKey.set(key, (known = []))
    if (known.length >= mostPerKey) this.#bytes -= known.shift()?.script.length ?? 0
    const made: KnownScript = {
      script: Buffer.from(script),
      hash: scriptHash(script),
      importsEvm: importsEvm(script),
      isStored: false,
    }
    known.push(made)
    this.#bytes += script.length
    return made
  }
}

/** The length and a sample from the middle, where scripts of one origin differ: other scripts may have the same key. */
function keyOf(script: Buffer): number {
  const { length } = script
  const sample = length < 4 ? 0 : script.readUInt32LE((length - 4) >> 1)
  return (length % 0x10_0000) * 0x1_0000_0000 + sample
}
