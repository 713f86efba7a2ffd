# kselect from these sources, with manual, completions and the names under which kubectl calls it.
{
  lib,
  rustPlatform,
  installShellFiles,
}:
let
  root = ../..;
  manifest = (lib.importTOML (root + "/Cargo.toml")).package;
in
rustPlatform.buildRustPackage {
  pname = manifest.name;
  inherit (manifest) version;
  src = lib.cleanSource root;
  cargoLock.lockFile = root + "/Cargo.lock";
  nativeBuildInputs = [ installShellFiles ];
  # The tests run the program as a user would, on files that they expect beside it.
  doCheck = false;
  postInstall = ''
    installManPage docs/man/*.1
    installShellCompletion --bash --name kselect completions/kselect.bash
    installShellCompletion completions/_kselect completions/kselect.fish
    ln -s kselect $out/bin/kubectl-select
    ln -s kselect $out/bin/kubectl_complete-select
  '';
  meta = {
    inherit (manifest) description;
    license = with lib.licenses; [ mit asl20 ];
    mainProgram = "kselect";
  };
}
