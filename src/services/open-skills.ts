import { inNetwork } from '../chain/in-network.ts'
import type { Lifecycle } from '../base/lifecycle.ts'
import { FilledSkills } from '../skills/filled-skills.ts'
import { readSkills, shippedSkills } from '../skills/read-skills.ts'
import type { Skills } from '../skills/skill.ts'
import type { ServiceContext } from './context.ts'
import { openNetwork } from './open-network.ts'

const opened = new WeakMap<Lifecycle, Promise<Skills>>()

/**
 * The skills, with the addresses of the network: read once for a process, however many of its services want them.
 * @throws FatalError where their folder cannot be read
 */
export function openSkills(context: ServiceContext): Promise<Skills> {
  const known = opened.get(context.lifecycle)
  if (known !== undefined) return known
  const opening = open(context)
  opened.set(context.lifecycle, opening)
  return opening
}

async function open(context: ServiceContext): Promise<Skills> {
  const [skills, network] = await Promise.all([readSkills(context.config.SKILLS_DIR ?? shippedSkills, context.log), openNetwork(context)])
  return new FilledSkills(skills, (text) => inNetwork(text, network()))
}
