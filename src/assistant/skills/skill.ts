/** A piece of knowledge that a model reads when it needs it: `skills/<folder>/SKILL.md`. */
export interface Skill {
  /** Lower case with dashes, as in its front matter and as its folder. */
  readonly name: string
  /** One or two sentences: what it knows, and when to read it. */
  readonly description: string
  /** Markdown, without the front matter. */
  readonly content: string
}

/** All skills, read once. */
export interface Skills {
  /** By name. */
  readonly all: readonly Skill[]
  /** @param name compared without case; undefined where there is none. Never a path. */
  find(name: string): Skill | undefined
}
