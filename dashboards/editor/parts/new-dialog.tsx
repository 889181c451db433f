import type { ReactNode } from 'react'
import { Icon } from '../../kit/icon.tsx'
import type { Sample } from '../contract.ts'
import { templates } from '../project/templates.ts'
import { useSettings } from '../settings.ts'
import { Modal } from './modal.tsx'

/** Files to begin with: templates, and scripts that are known to give an answer. */
export function TemplatesDialog({
  onFile,
  onClose,
}: {
  readonly onFile: (path: string, code: string) => void
  readonly onClose: () => void
}): ReactNode {
  // A template that the network knows as a sample is listed once.
  const samples = useSettings().samples.filter(({ code }) => !templates.some((template) => template.code === code))
  return (
    <Modal title="Add a file from a template" isWide onClose={onClose}>
      <div className="stack modal-body">
        <ul className="cards">
          {templates.map(({ name, title, path, code, note }) => (
            <li key={name}>
              <button type="button" className="card" onClick={() => onFile(path, code)}>
                <Icon name="code" />
                <b>{title}</b>
                <span className="soft small">{path}</span>
                {note !== undefined && <span className="soft small">{note}</span>}
              </button>
            </li>
          ))}
        </ul>
        {samples.length > 0 && (
          <>
            <h3>Scripts to try</h3>
            <ul className="cards">
              {samples.map((sample) => (
                <li key={sample.name}>
                  <button type="button" className="card" onClick={() => onFile(samplePath(sample), sample.code)}>
                    <Icon name="play" />
                    <b>{sample.title}</b>
                    <span className="soft small">{samplePath(sample)}</span>
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Modal>
  )
}

function samplePath({ name }: Sample): string {
  return `scripts/${name.replaceAll(/[^\w-]/g, '-')}.cdc`
}
