import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ProgramRun } from './command-line.ts'
import { repositoryRoot } from './repository.ts'

/**
 * Excluded from the copy: installed packages are shared, and build output and caches are recreated.
 */
const left = new Set(['node_modules', '.git', '.flowfarm', 'dist', 'screenshots'])

/** A copy of the project, in which files may be changed and programs run. */
export class ProjectCopy {
  readonly root: string

  private constructor(root: string) {
    this.root = root
  }

  static async make(): Promise<ProjectCopy> {
    const root = await mkdtemp(join(tmpdir(), 'flowfarm-copy-'))
    for (const name of await readdir(repositoryRoot)) {
      if (!left.has(name)) await cp(join(repositoryRoot, name), join(root, name), { recursive: true })
    }
    await symlink(join(repositoryRoot, 'node_modules'), join(root, 'node_modules'))
    return new ProjectCopy(root)
  }

  read(path: string): Promise<string> {
    return readFile(join(this.root, path), 'utf8')
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.root, path)), { recursive: true })
    await writeFile(join(this.root, path), text)
  }

  /** Starts a program of the copy, in its folder. */
  start(file: string, args: readonly string[], variables: Record<string, string> = {}): ProgramRun {
    return new ProgramRun(join(this.root, file), args, variables, { cwd: this.root })
  }

  /**
   * The program behind an npm script, without the setup, as all packages are installed. @param
   * command `npm run farm -- backfill --from 1`
   */
  async npm(command: string, variables: Record<string, string> = {}): Promise<ProgramRun> {
    const [, name = '', rest = ''] = /^npm (?:run )?([\w:-]+)(?: -- (.*))?$/.exec(command) ?? []
    const { scripts } = JSON.parse(await this.read('package.json')) as { scripts: Record<string, string> }
    const [, file, given = ''] = /setup\.mjs (\S+)(?: (.*))?$/.exec(scripts[name] ?? '') ?? []
    if (file === undefined) throw new RangeError(`package.json does not say what this starts: ${command}`)
    return this.start(
      file,
      `${given} ${rest}`.split(' ').filter((arg) => arg !== ''),
      variables,
    )
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true })
  }
}
