import type { Lifecycle } from '../base/lifecycle.ts'
import type { ServiceContext } from './context.ts'
import { createPageBuild } from './dashboards/page-build.ts'
import type { PageBuild } from './dashboards/page-build.ts'

const builds = new WeakMap<Lifecycle, PageBuild>()

/** The build that all pages of a process are taken from. It begins when it is first asked for, and ends with the program. */
export function pageBuildOf({ lifecycle, log }: Pick<ServiceContext, 'lifecycle' | 'log'>): PageBuild {
  const known = builds.get(lifecycle)
  if (known !== undefined) return known
  const build = createPageBuild({ log })
  builds.set(lifecycle, build)
  lifecycle.onStop('page build', () => build.stop())
  return build
}
