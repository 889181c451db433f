import type { ReactNode } from 'react'
import { scriptParameters } from '../../kit/code-tokens.ts'
import type { Answers } from '../answers.gen.ts'
import { useApi } from '../api.ts'
import type { PageProps } from '../pages.ts'
import { ItemResult } from '../parts/lists.tsx'
import { Detail, DetailPanel, PageTitle } from '../parts/page.tsx'
import { ScriptPanel } from '../parts/script.tsx'
import { Identity } from '../parts/values.tsx'
import { humanize, sanitizeName, shorten } from '../text.ts'

export function ScriptPage({ values: { hash = '' } }: PageProps): ReactNode {
  const query = useApi('/flow/script/{hash}', { hash })
  const fullHash = query.data?.data[0]?.script_hash ?? hash
  return (
    <>
      <PageTitle kind="Script" title={shorten(fullHash)}>
        <Identity id={fullHash} what="script hash" hasCopy />
      </PageTitle>
      <ItemResult query={query} what="this script" rows={8}>
        {(script) => <ScriptView script={script} />}
      </ItemResult>
    </>
  )
}

type Script = Answers['/flow/script/{hash}']['data'][number]

function ScriptView({ script }: { readonly script: Script }): ReactNode {
  const { script_text: text, template_label: label, template_category: category } = script
  const parameters = scriptParameters(text)
  return (
    <>
      <DetailPanel label="Template">
        <Detail name="Template">
          {label === '' ? <span className="soft">No known template</span> : sanitizeName(label)}
        </Detail>
        {category !== '' && <Detail name="Category">{humanize(category)}</Detail>}
        <Detail name="Parameters">
          {parameters.length === 0 ? (
            <span className="soft">none</span>
          ) : (
            <dl className="tree">
              {parameters.map(({ name, type }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>
                    <code>{type}</code>
                  </dd>
                </div>
              ))}
            </dl>
          )}
        </Detail>
      </DetailPanel>
      <ScriptPanel text={text} title="Code" />
    </>
  )
}
