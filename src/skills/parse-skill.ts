import { parse } from 'yaml'
import type { Skill } from './skill.ts'

/** Characters. The list of all descriptions is in every conversation; the first sentence is what counts. */
const mostDescriptionCharacters = 1024

/** Lower-case words of letters and digits, joined by single dashes: what can be neither a path nor a word of another language that looks alike. */
const nameForm = /^[a-z0-9]{1,40}(?:-[a-z0-9]{1,40}){0,5}$/

const openings = /^---[ \t]*\n/
const closing = /^---[ \t]*$/m

/** Why a file is no skill, in words that say how to mend it. */
export class NoSkill extends Error {}

/** Whether a skill may have this name. */
export function isSkillName(name: string): boolean {
  return name.length <= 64 && nameForm.test(name)
}

/**
 * Reads the text of a SKILL.md: YAML with `name` and `description` between two lines of `---`, and Markdown.
 * @param folder the name of its folder, which has to be its name
 * @throws NoSkill
 */
export function parseSkill(text: string, folder: string): Skill {
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
      `its name is ${JSON.stringify(name.slice(0, 80))} and its folder ${JSON.stringify(folder)}: they have to be the same`,
    )
  if (typeof description !== 'string' || description.trim() === '') {
    throw new NoSkill('it has no description: one or two sentences that say what it knows and when to read it')
  }
  const told = description.replaceAll(/\s+/g, ' ').trim()
  if (told.length > mostDescriptionCharacters) {
    throw new NoSkill(
      `its description has ${told.length} characters; at most ${mostDescriptionCharacters} are allowed, since it is in every conversation`,
    )
  }
  const content = rest.slice(end.index + end[0].length).trim()
  if (content === '') throw new NoSkill('there is nothing after its name and description')
  return { name, description: told, content: `${content}\n` }
}

/** What is between the lines of `---`. Without aliases, whose expansion has no bound. @throws NoSkill */
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
