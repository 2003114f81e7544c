type Headers = Readonly<Record<string, string>>;

/** Headers to copy to the records that this record causes. */
export const traceHeaders = ({ traceparent }: Headers): Headers => (traceparent === undefined ? {} : { traceparent });
