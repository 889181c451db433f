/** A fence with its language, and what is in it; one that is not closed goes on to the end, as in a reply that was cut off. */
const fences = /^[ \t]*```[ \t]*([\w-]*)[^\n]*\n([\s\S]*?)(?:^[ \t]*```[ \t]*$|(?![\s\S]))/gm

/** Where a statement can begin: a line with one of these as its first word. */
const beginnings = /^[ \t]*(?:SELECT|WITH|VALUES|TABLE|\()[\s(]/gim

/**
 * The texts in a model's reply that can be the statement, likeliest first. What is none of these is prose, which no database is
 * sent. Each still has to pass the gate: this only finds where a statement may be.
 */
export function sqlCandidates(reply: string): string[] {
  const fenced = [...reply.matchAll(fences)].map(([, language = '', content = '']) => ({
    language: language.toLowerCase(),
    content,
  }))
  const found = [
    // Of several the last is the one that the reply came to.
    ...fenced.filter(({ language }) => language === 'sql' || language.startsWith('postgres')).reverse(),
    ...fenced.filter(({ language }) => language === '').reverse(),
  ].map(({ content }) => content)
  const bare =
    fenced.length > 0 ? [] : [...reply.matchAll(beginnings)].flatMap(({ index }) => cutProse(reply.slice(index)))
  return [...new Set([...found, ...bare].map((sql) => sql.trim()).filter((sql) => sql !== ''))]
}

/** The text as far as each place where a statement can end: its semicolon, an empty line, and its own end. */
function cutProse(text: string): string[] {
  const ends = [/;[ \t]*(?=\n|$)/, /\n[ \t]*\n/].flatMap((end) => {
    const found = end.exec(text)
    return found === null ? [] : [text.slice(0, found.index)]
  })
  return [...ends, text]
}
