//! Certificates in Secrets: their dates, and nothing else of them.

use jiff::Timestamp;
use x509_cert::Certificate;
use x509_cert::der::DecodePem;

use text::go;

/// The end of the first certificate, which is the server's own, in the base64 text of `tls.crt`; `None` if there is none.
pub(super) fn end(data: &str) -> Option<Timestamp> {
    let chain = go::base64_decode(data.as_bytes()).ok()?;
    let certificate = Certificate::from_pem(chain).ok()?;
    let end = certificate.tbs_certificate().validity().not_after.to_unix_duration();
    Timestamp::from_second(end.as_secs().try_into().ok()?).ok()
}
