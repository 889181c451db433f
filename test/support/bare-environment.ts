const kept = ['PATH', 'NODE_COMPILE_CACHE', 'TMPDIR']

/**
 * The environment of a process in which nothing is set but what it needs to be found, and to start without compiling
 * all again.
 */
export function bareEnvironment(): Record<string, string> {
  return Object.fromEntries(
    kept.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
