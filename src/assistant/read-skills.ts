import { constants } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { parse } from 'yaml'
import { FatalError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'

/** Knowledge that a model loads on demand: `skills/<folder>/SKILL.md`. */
export interface Skill {
  readonly name: string
  readonly description: string
  readonly content: string
}

export interface Skills {
  readonly all: readonly Skill[]
  /** @param name case-insensitive; never a path */
  find(name: string): Skill | undefined
}

/** A skill goes into a conversation as a whole. */
const maxBytes = 128 * 1024

const maxSkills = 50

export const shippedSkills = join(import.meta.dirname, '../../skills')

/**
 * Invalid skills are logged and skipped. Links that leave the folder are not followed.
 * @throws FatalError if the folder cannot be read
 */
export async function readSkills(folder: string, log: Pick<Logger, 'warn'>): Promise<Skills> {
  const { root, names } = await look(folder)
  const all: Skill[] = []
  for (const name of names) {
    const file = join(folder, name, 'SKILL.md')
    try {
      if (all.length === maxSkills) throw new NoSkill(`too many skills: the limit is ${maxSkills}`)
      all.push(parseSkill(await readFileWithin(root, join(root, name, 'SKILL.md'), name), name))
    } catch (error) {
      if (!(error instanceof NoSkill)) throw error
      log.warn({ file, remedy: error.message }, 'Skill skipped')
    }
  }
  return new SkillList(all)
}

async function look(folder: string): Promise<{ readonly root: string; readonly names: readonly string[] }> {
  try {
    const root = await realpath(folder)
    const entries = await readdir(root, { withFileTypes: true })
    const names = entries.filter((entry) => !entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name)
    return { root, names: names.toSorted() }
  } catch (cause) {
    throw new FatalError(
      'no-skills-folder',
      `cannot read the skills folder ${folder}: set SKILLS_DIR to a readable folder, or unset it`,
      { cause },
    )
  }
}

async function readFileWithin(root: string, path: string, name: string): Promise<string> {
  if (!isSkillName(name))
    throw new NoSkill('invalid folder name: use lower-case letters, digits and single dashes, at most 64 characters')
  const real = await refused('cannot read SKILL.md in its folder', () => realpath(path))
  if (!real.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new NoSkill('the link leaves the skills folder: put the file itself there')
  // Does not wait for the writer of a pipe, and opens no link that replaced the file meanwhile.
  const file = await refused('cannot read the file', () =>
    open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW),
  )
  try {
    const { size } = await file.stat().then((stat) => (stat.isFile() ? stat : { size: undefined }))
    if (size === undefined) throw new NoSkill('SKILL.md must be a file')
    if (size > maxBytes)
      throw new NoSkill(`too large: ${size} bytes, the limit is ${maxBytes}. Split it into two skills`)
    return decode(await file.readFile())
  } finally {
    await file.close()
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new NoSkill('not valid UTF-8')
  }
}

async function refused<T>(remedy: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    throw new NoSkill(`${remedy} (${(cause as NodeJS.ErrnoException).code ?? String(cause)})`, { cause })
  }
}

export class SkillList implements Skills {
  readonly all: readonly Skill[]
  readonly #byName: ReadonlyMap<string, Skill>

  constructor(skills: readonly Skill[]) {
    this.all = skills
    this.#byName = new Map(skills.map((skill) => [skill.name, skill]))
  }

  find(name: string): Skill | undefined {
    return this.#byName.get(name.trim().toLowerCase())
  }
}

const maxDescriptionCharacters = 1024

/** Neither a path nor a look-alike in another script. */
const nameForm = /^[a-z0-9]{1,40}(?:-[a-z0-9]{1,40}){0,5}$/

const openings = /^---[ \t]*\n/
const closing = /^---[ \t]*$/m

class NoSkill extends Error {}

function isSkillName(name: string): boolean {
  return name.length <= 64 && nameForm.test(name)
}

/**
 * YAML with `name` and `description` between two `---` lines, then Markdown.
 * @param folder must equal the name
 * @throws NoSkill
 */
function parseSkill(text: string, folder: string): Skill {
  const lines = text.replaceAll(/\r\n?/g, '\n')
  const opening = openings.exec(lines)
  if (opening === null) throw new NoSkill('the first line must be ---, followed by name: and description:')
  const rest = lines.slice(opening[0].length)
  const end = closing.exec(rest)
  if (end === null) throw new NoSkill('missing --- line after name and description')
  const { name, description } = frontMatter(rest.slice(0, end.index))
  if (typeof name !== 'string') throw new NoSkill(`missing name: add "name: ${folder}" between the --- lines`)
  if (name !== folder)
    throw new NoSkill(`the name ${JSON.stringify(name.slice(0, 80))} differs from the folder ${JSON.stringify(folder)}`)
  if (typeof description !== 'string' || description.trim() === '') {
    throw new NoSkill('missing description: one or two sentences on what the skill covers and when to read it')
  }
  const shown = description.replaceAll(/\s+/g, ' ').trim()
  if (shown.length > maxDescriptionCharacters) {
    throw new NoSkill(
      `description too long: ${shown.length} characters, the limit is ${maxDescriptionCharacters}, since it is in ` +
        'every conversation',
    )
  }
  const content = rest.slice(end.index + end[0].length).trim()
  if (content === '') throw new NoSkill('no content after name and description')
  return { name, description: shown, content: `${content}\n` }
}

/** The expansion of YAML aliases is unbounded. @throws NoSkill */
function frontMatter(yaml: string): { readonly name?: unknown; readonly description?: unknown } {
  let fields: unknown
  try {
    fields = parse(yaml, { maxAliasCount: 0, logLevel: 'error' })
  } catch (error) {
    throw new NoSkill(`invalid YAML between the --- lines (${firstLine(error)}): quote values that contain a colon`)
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw new NoSkill('missing name: and description: between the --- lines')
  }
  return fields
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]?.replace(/:$/, '') ?? ''
}

/** Placeholders are filled in on reading, since the network may become known later. */
export class RenderedSkills implements Skills {
  readonly #skills: Skills
  readonly #fill: (text: string) => string

  constructor(skills: Skills, fill: (text: string) => string) {
    this.#skills = skills
    this.#fill = fill
  }

  get all(): readonly Skill[] {
    return this.#skills.all.map((skill) => new FilledSkill(skill, this.#fill))
  }

  find(name: string): Skill | undefined {
    const skill = this.#skills.find(name)
    return skill === undefined ? undefined : new FilledSkill(skill, this.#fill)
  }
}

class FilledSkill implements Skill {
  readonly name: string
  readonly description: string
  readonly #content: string
  readonly #fill: (text: string) => string

  constructor({ name, description, content }: Skill, fill: (text: string) => string) {
    this.name = name
    this.description = description
    this.#content = content
    this.#fill = fill
  }

  get content(): string {
    return this.#fill(this.#content)
  }
}
