import { execFile } from 'node:child_process'
import { chmod, statfs } from 'node:fs/promises'
import { promisify } from 'node:util'
import { asError } from '../../../src/platform/errors.ts'

const run = promisify(execFile)

/** Fits an hour of data; memory is allocated only for written data. */
const roomMiB = 6144
/** Space left on a full disk: enough to start an operation, too little to complete it. */
const leftKiB = 512

/** A file system in memory that can be filled, mounted on a folder. */
export class SmallDisk {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * @returns the reason if no file system can be mounted, which requires root and is not allowed in
   * every container
   */
  static async mount(folder: string): Promise<SmallDisk | string> {
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${roomMiB}m,mode=0711`, 'tmpfs', folder])
    } catch (error) {
      return asError(error).message.trim()
    }
    await chmod(folder, 0o711)
    return new SmallDisk(folder)
  }

  /** Fills the disk. */
  async fill(): Promise<void> {
    const { blocks, bfree, bsize } = await statfs(this.#folder)
    await this.#resize(`${Math.ceil(((blocks - bfree) * bsize) / 1024) + leftKiB}k`)
  }

  async makeRoom(): Promise<void> {
    await this.#resize(`${roomMiB}m`)
  }

  /** MiB in use. */
  async used(): Promise<number> {
    const { blocks, bfree, bsize } = await statfs(this.#folder)
    return Math.round(((blocks - bfree) * bsize) / 1024 / 1024)
  }

  async unmount(): Promise<void> {
    await run('umount', ['-l', this.#folder])
  }

  async #resize(size: string): Promise<void> {
    await run('mount', ['-o', `remount,size=${size}`, this.#folder])
  }
}
