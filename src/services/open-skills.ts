import { inNetwork } from '../chain/in-network.ts'
import { FilledSkills } from '../skills/filled-skills.ts'
import { readSkills, shippedSkills } from '../skills/read-skills.ts'
import type { Skills } from '../skills/skill.ts'
import type { ServiceContext } from './context.ts'
import { oncePerProcess } from './once-per-process.ts'
import { openNetwork } from './open-network.ts'

/**
 * The skills, with the addresses of the network; read once for a process.
 * @throws FatalError where their folder cannot be read
 */
export const openSkills = oncePerProcess(async (context: ServiceContext): Promise<Skills> => {
  const [skills, network] = await Promise.all([
    readSkills(context.config.SKILLS_DIR ?? shippedSkills, context.log),
    openNetwork(context),
  ])
  return new FilledSkills(skills, (text) => inNetwork(text, network()))
})
