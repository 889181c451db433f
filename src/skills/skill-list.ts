import type { Skill, Skills } from './skill.ts'

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
