# The formula for Homebrew. `packaging/fill` replaces what is in double braces by a release's address, version and
# checksums, for a tap: brew install OWNER/tap/kselect
class Kselect < Formula
  desc "Tool like kubectl for manifests that are not in a cluster"
  homepage "{{REPOSITORY}}"
  version "{{VERSION}}"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "{{REPOSITORY}}/releases/download/v{{VERSION}}/kselect-{{VERSION}}-aarch64-apple-darwin.tar.gz"
      sha256 "{{SHA256_AARCH64_APPLE_DARWIN}}"
    end
    on_intel do
      url "{{REPOSITORY}}/releases/download/v{{VERSION}}/kselect-{{VERSION}}-x86_64-apple-darwin.tar.gz"
      sha256 "{{SHA256_X86_64_APPLE_DARWIN}}"
    end
  end

  on_linux do
    on_arm do
      url "{{REPOSITORY}}/releases/download/v{{VERSION}}/kselect-{{VERSION}}-aarch64-unknown-linux-musl.tar.gz"
      sha256 "{{SHA256_AARCH64_UNKNOWN_LINUX_MUSL}}"
    end
    on_intel do
      url "{{REPOSITORY}}/releases/download/v{{VERSION}}/kselect-{{VERSION}}-x86_64-unknown-linux-musl.tar.gz"
      sha256 "{{SHA256_X86_64_UNKNOWN_LINUX_MUSL}}"
    end
  end

  def install
    bin.install "kselect"
    # As kubectl's plugin, which completes by the second name.
    bin.install_symlink "kselect" => "kubectl-select"
    bin.install_symlink "kselect" => "kubectl_complete-select"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/kselect.bash" => "kselect"
    zsh_completion.install "completions/_kselect"
    fish_completion.install "completions/kselect.fish"
  end

  test do
    (testpath/"web.yaml").write <<~YAML
      apiVersion: v1
      kind: Service
      metadata: {name: web, labels: {app: web}}
    YAML
    assert_equal "service/web\n", shell_output("#{bin}/kselect get -l app=web -o name -f web.yaml")
  end
end
