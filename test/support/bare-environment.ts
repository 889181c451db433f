const inherited = ['PATH', 'NODE_COMPILE_CACHE', 'TMPDIR']

/** A minimal process environment: PATH, the compile cache and the temporary folder. */
export function bareEnvironment(): Record<string, string> {
  return Object.fromEntries(
    inherited.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
