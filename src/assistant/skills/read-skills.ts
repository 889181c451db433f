import { constants } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { parse } from 'yaml'
import { FatalError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'

/** Knowledge that a model loads on demand: `skills/<folder>/SKILL.md`. */
export interface Skill {
  /** As its folder: lower case with dashes. */
  readonly name: string
  /** What it covers and when to read it. */
  readonly description: string
  /** Markdown, without the front matter. */
  readonly content: string
}

export interface Skills {
  /** Sorted by name. */
  readonly all: readonly Skill[]
  /** @param name case-insensitive; never a path */
  find(name: string): Skill | undefined
}

/** Longest skill: one goes into a conversation whole. */
const maxBytes = 128 * 1024

/** Names and descriptions are in every conversation. */
const maxSkills = 50

/** The skills that come with flowfarm. */
export const shippedSkills = join(import.meta.dirname, '../../../skills')

/**
 * Reads all skills of a folder: `<folder>/<name>/SKILL.md`. An invalid one is logged and skipped. Links that leave
 * the folder are not followed.
 * @throws FatalError where the folder cannot be read
 */
export async function readSkills(folder: string, log: Pick<Logger, 'warn'>): Promise<Skills> {
  const { root, names } = await look(folder)
  const all: Skill[] = []
  for (const name of names) {
    const file = join(folder, name, 'SKILL.md')
    try {
      if (all.length === maxSkills) throw new NoSkill(`there may be ${maxSkills} at most`)
      all.push(parseSkill(await readFileWithin(root, join(root, name, 'SKILL.md'), name), name))
    } catch (error) {
      if (!(error instanceof NoSkill)) throw error
      log.warn({ file, remedy: error.message }, 'this skill is not used')
    }
  }
  return new SkillList(all)
}

/** The real folder and its sorted entries, without files and hidden folders. */
async function look(folder: string): Promise<{ readonly root: string; readonly names: readonly string[] }> {
  try {
    const root = await realpath(folder)
    const entries = await readdir(root, { withFileTypes: true })
    const names = entries.filter((entry) => !entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name)
    return { root, names: names.toSorted() }
  } catch (cause) {
    throw new FatalError(
      'no-skills-folder',
      `the folder of skills ${folder} cannot be read: set SKILLS_DIR to one that can, or leave it out`,
      { cause },
    )
  }
}

/** @throws NoSkill */
async function readFileWithin(root: string, path: string, name: string): Promise<string> {
  if (!isSkillName(name))
    throw new NoSkill(
      'the name of its folder has to be of lower-case letters, digits and single dashes, at most 64 characters',
    )
  const real = await refused('there is no file SKILL.md in its folder that can be read', () => realpath(path))
  if (!real.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new NoSkill('it leads out of the folder of skills: put the file itself there')
  // Does not wait for the writer of a pipe, and opens no link that replaced the file meanwhile.
  const file = await refused('it cannot be read', () =>
    open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW),
  )
  try {
    const { size } = await file.stat().then((stat) => (stat.isFile() ? stat : { size: undefined }))
    if (size === undefined) throw new NoSkill('SKILL.md has to be a file')
    if (size > maxBytes)
      throw new NoSkill(`it has ${size} bytes; at most ${maxBytes} are allowed: make two skills of it`)
    return decode(await file.readFile())
  } finally {
    await file.close()
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new NoSkill('it is no text in UTF-8')
  }
}

async function refused<T>(remedy: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    throw new NoSkill(`${remedy} (${(cause as NodeJS.ErrnoException).code ?? String(cause)})`, { cause })
  }
}

/** Skills by name. */
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

/** Characters of a description. */
const maxDescriptionCharacters = 1024

/** Lower-case ASCII words joined by single dashes: neither a path nor a look-alike in another script. */
const nameForm = /^[a-z0-9]{1,40}(?:-[a-z0-9]{1,40}){0,5}$/

const openings = /^---[ \t]*\n/
const closing = /^---[ \t]*$/m

/** Why a file is no skill, and how to fix it. */
class NoSkill extends Error {}

function isSkillName(name: string): boolean {
  return name.length <= 64 && nameForm.test(name)
}

/**
 * Parses a SKILL.md: YAML with `name` and `description` between two lines of `---`, and Markdown.
 * @param folder its folder, which must be its name
 * @throws NoSkill
 */
function parseSkill(text: string, folder: string): Skill {
  const lines = text.replaceAll(/\r\n?/g, '\n')
  const opening = openings.exec(lines)
  if (opening === null) throw new NoSkill('its first line has to be ---, followed by name: and description:')
  const rest = lines.slice(opening[0].length)
  const end = closing.exec(rest)
  if (end === null) throw new NoSkill('a line of --- is missing after its name and description')
  const { name, description } = frontMatter(rest.slice(0, end.index))
  if (typeof name !== 'string') throw new NoSkill(`it has no name: add "name: ${folder}" between the lines of ---`)
  if (name !== folder)
    throw new NoSkill(
      `its name is ${JSON.stringify(name.slice(0, 80))} and its folder ${JSON.stringify(folder)}: they have ` +
        'to be the same',
    )
  if (typeof description !== 'string' || description.trim() === '') {
    throw new NoSkill('it has no description: one or two sentences that say what it knows and when to read it')
  }
  const told = description.replaceAll(/\s+/g, ' ').trim()
  if (told.length > maxDescriptionCharacters) {
    throw new NoSkill(
      `its description has ${told.length} characters; at most ${maxDescriptionCharacters} are allowed, since ` +
        'it is in every conversation',
    )
  }
  const content = rest.slice(end.index + end[0].length).trim()
  if (content === '') throw new NoSkill('there is nothing after its name and description')
  return { name, description: told, content: `${content}\n` }
}

/** The YAML between the lines of `---`, without aliases, whose expansion is unbounded. @throws NoSkill */
function frontMatter(yaml: string): { readonly name?: unknown; readonly description?: unknown } {
  let fields: unknown
  try {
    fields = parse(yaml, { maxAliasCount: 0, logLevel: 'error' })
  } catch (error) {
    throw new NoSkill(
      `what is between its lines of --- is no YAML (${firstLine(error)}): put texts that have a colon between quotes`,
    )
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw new NoSkill('between its lines of --- there have to be name: and description:')
  }
  return fields
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]?.replace(/:$/, '') ?? ''
}

/** Skills whose placeholders are filled in on reading: the network may become known later. */
export class FilledSkills implements Skills {
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

/** Filled in on access: lists need names and descriptions only. */
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
