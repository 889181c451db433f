import { portsOf, readConfig } from './config.ts'
import { asError, exitCodeOf, exitCodes, FatalError } from './platform/errors.ts'
import { helpText } from './help.ts'
import { runProgram } from './program.ts'
import { isServiceName, services, defaultServices } from './services.ts'
import type { ServiceName } from './services.ts'

/** The services named on the command line, in start order. @throws FatalError `unknown-service` */
function namedServices(names: readonly string[]): ServiceName[] {
  for (const name of names) {
    if (isServiceName(name)) continue
    if (name.startsWith('-')) {
      throw new FatalError(
        'unknown-option',
        `Unknown option ${name}. Settings are environment variables, e.g. PORT=8081. See --help.`,
      )
    }
    throw new FatalError(
      'unknown-service',
      `Unknown service "${name}". Services: ${Object.keys(services).join(', ')}. See --help.`,
    )
  }
  return Object.keys(services)
    .filter(isServiceName)
    .filter((name) => names.includes(name))
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(helpText(services))
    return exitCodes.success
  }
  if (args.length === 0) {
    const config = readConfig()
    return runProgram({ services: defaultServices(config), config })
  }
  const chosen = namedServices(args)
  return runProgram({ services: chosen, config: readConfig(portsOf(chosen)) })
}

let exitCode: number
try {
  exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${asError(error).message}\n`)
  exitCode = exitCodeOf(error)
}
// Remaining handles (such as a socket in a timeout) must not keep a stopped process alive.
process.exit(exitCode)
