import { inNetwork } from '../flow/core-contracts.ts'
import { RenderedSkills, readSkills, shippedSkills } from './read-skills.ts'
import type { Skills } from './read-skills.ts'
import type { ServiceContext } from '../platform/service.ts'
import { oncePerProcess } from '../platform/service.ts'
import { openNetwork } from './network.ts'

/** @throws FatalError if their folder cannot be read */
export const openSkills = oncePerProcess(
  async (context: ServiceContext<{ readonly SKILLS_DIR: string | undefined }>): Promise<Skills> => {
    const [skills, network] = await Promise.all([
      readSkills(context.config.SKILLS_DIR ?? shippedSkills, context.log),
      openNetwork(context),
    ])
    return new RenderedSkills(skills, (text) => inNetwork(text, network()))
  },
)
